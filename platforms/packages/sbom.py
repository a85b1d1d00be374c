#!/usr/bin/env python3
"""Says what is inside a release, as SPDX 2.3 and as CycloneDX 1.5, out of the pins.
    sbom.py VERSION SECONDS FOLDER     writes FOLDER/rondo-VERSION.{spdx,cdx}.json
SECONDS is the release's time since 1970. The same arguments give the same bytes.
"""
import json
import os
import sys
import time
import uuid

from third_parties import third_parties

SPACE = uuid.UUID("5d4c5a8e-50ff-5a6b-8f35-6d4b5e5a9f10")  # of the names below


def spdx(version, when, parties):
    def package(name, its_version, licence, **more):
        return {"SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": its_version,
                "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
                "copyrightText": "NOASSERTION", **more}

    packages = [package("rondo", version, "MIT", downloadLocation="NOASSERTION",
                        supplier="Organization: The Rondo authors", primaryPackagePurpose="LIBRARY")]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": "SPDXRef-rondo"}]
    for party in parties:
        more = {"downloadLocation": f"git+{party['home']}@{party['commit']}" if party["commit"] else "NOASSERTION",
                "homepage": party["home"],
                "supplier": f"Organization: {party['supplier']}",
                "checksums": [{"algorithm": "SHA256", "checksumValue": party["sha256"]}],
                "sourceInfo": f"Debian's source archive {os.path.basename(party['pool'])}",
                "comment": f"In the {party['inside']}, compiled from these sources."}
        packages.append(package(party["name"], party["version"], party["licence"], **more))
        relations.append({"spdxElementId": "SPDXRef-rondo", "relationshipType": "CONTAINS",
                          "relatedSpdxElement": f"SPDXRef-{party['name']}"})
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"rondo-{version}",
            "documentNamespace": f"https://rondo.invalid/spdx/{uuid.uuid5(SPACE, f'{version} {when}')}",
            "creationInfo": {"created": when, "creators": ["Tool: platforms/packages/sbom.py"]},
            "packages": packages, "relationships": relations}


def cyclonedx(version, when, parties):
    def component(kind, name, its_version, licence, **more):
        return {"type": kind, "bom-ref": f"{name}@{its_version}", "name": name,
                "version": its_version, "licenses": [{"license": {"id": licence}}], **more}

    components = []
    for party in parties:
        references = [{"type": "website", "url": party["home"]},
                      {"type": "distribution", "url": os.path.basename(party["pool"]),
                       "hashes": [{"alg": "SHA-256", "content": party["sha256"]}]}]
        where = party["home"].removeprefix("https://github.com/")
        more = {}
        if where != party["home"]:
            more["purl"] = f"pkg:github/{where.lower()}@{party['commit'] or party['version']}"
        components.append(component("library", party["name"], party["version"], party["licence"],
                                    supplier={"name": party["supplier"]}, externalReferences=references,
                                    properties=[{"name": "rondo:inside", "value": party["inside"]}],
                                    **more))
    me = component("library", "rondo", version, "MIT", supplier={"name": "The Rondo authors"})
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "serialNumber": f"urn:uuid:{uuid.uuid5(SPACE, f'cyclonedx {version} {when}')}",
            "metadata": {"timestamp": when, "component": me}, "components": components,
            "dependencies": [{"ref": me["bom-ref"], "dependsOn": [c["bom-ref"] for c in components]}]
            + [{"ref": c["bom-ref"]} for c in components]}


def main():
    version, seconds, folder = sys.argv[1:]
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(seconds)))
    parties = list(third_parties())
    for name, content in (("spdx", spdx(version, when, parties)), ("cdx", cyclonedx(version, when, parties))):
        with open(os.path.join(folder, f"rondo-{version}.{name}.json"), "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2, sort_keys=True)
            file.write("\n")


main()
