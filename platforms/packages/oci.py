#!/usr/bin/env python3
"""Writes an OCI image layout: one image for each architecture, and an index of them.
    oci.py VERSION SECONDS FOLDER ARCHITECTURE=ROOT...
ROOT is a folder that becomes the image's one layer. The same arguments give the same bytes.
"""
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
import time

CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"


def layer_of(root, seconds):
    """The folder as a tar archive, packed and not: files are nobody's own, sorted, and of one time."""
    bytes_ = io.BytesIO()
    with tarfile.open(fileobj=bytes_, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        paths = sorted(os.path.relpath(os.path.join(top, name), root)
                       for top, folders, files in os.walk(root) for name in folders + files)
        for path in paths:
            whole = os.path.join(root, path)
            entry = archive.gettarinfo(whole, path)
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = seconds
            entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            with open(whole, "rb") if entry.isfile() else io.BytesIO() as file:
                archive.addfile(entry, file)
    plain = bytes_.getvalue()
    return plain, gzip.compress(plain, 9, mtime=0)


class Layout:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "blobs", "sha256"))
        self.write("oci-layout", {"imageLayoutVersion": "1.0.0"})

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            json.dump(content, file, sort_keys=True)

    def blob(self, kind, content):
        if not isinstance(content, bytes):
            content = json.dumps(content, sort_keys=True).encode()
        digest = hashlib.sha256(content).hexdigest()
        with open(os.path.join(self.folder, "blobs", "sha256", digest), "wb") as file:
            file.write(content)
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}


def main():
    version, seconds, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    labels = {
        "org.opencontainers.image.title": "rondo",
        "org.opencontainers.image.description": "Language models over HTTP, on the CPU, in planned memory",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "MIT",
        "org.opencontainers.image.created": created,
    }
    layout = Layout(folder)
    images = []
    for argument in sys.argv[4:]:
        architecture, root = argument.split("=", 1)
        plain, packed = layer_of(root, seconds)
        config = layout.blob(CONFIG, {
            "architecture": architecture, "os": "linux", "created": created,
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(plain).hexdigest()]},
            "history": [{"created": created, "created_by": "platforms/packages/oci.py"}],
            "config": {
                "User": "65532:65532", "WorkingDir": "/models", "ExposedPorts": {"8080/tcp": {}},
                "Env": ["PATH=/usr/bin", "HOME=/models"],
                "Entrypoint": ["/usr/bin/rondo", "serve", "--host", "0.0.0.0"],
                "Cmd": ["model.rondo"], "StopSignal": "SIGTERM", "Labels": labels,
                # Not OCI's, but what Docker reads of any image; Kubernetes has probes of its own.
                "Healthcheck": {"Test": ["CMD", "/usr/bin/rondo-health"], "Interval": 10 * 10**9,
                                "Timeout": 5 * 10**9, "StartPeriod": 60 * 10**9, "Retries": 3},
            }})
        image = layout.blob(MANIFEST, {
            "schemaVersion": 2, "mediaType": MANIFEST, "config": config,
            "layers": [layout.blob(LAYER, packed)], "annotations": labels})
        images.append({**image, "platform": {"architecture": architecture, "os": "linux"}})
    index = layout.blob(INDEX, {"schemaVersion": 2, "mediaType": INDEX, "manifests": images,
                                "annotations": labels})
    layout.write("index.json", {"schemaVersion": 2, "mediaType": INDEX, "manifests": [
        {**index, "annotations": {"org.opencontainers.image.ref.name": version}}]})


main()
