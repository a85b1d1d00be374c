// swift-tools-version:5.9
// For this folder and an installed library; platforms/packages/swift.sh makes the package for others.
import PackageDescription

let package = Package(
  name: "Rondo",
  platforms: [.macOS(.v12), .iOS(.v15)],
  products: [.library(name: "Rondo", targets: ["Rondo"])],
  targets: [
    .systemLibrary(name: "CRondo", pkgConfig: "rondo"),
    .target(name: "Rondo", dependencies: ["CRondo"]),
    .executableTarget(name: "generate", dependencies: ["Rondo"], path: "examples/generate"),
    .executableTarget(name: "talk", dependencies: ["Rondo"], path: "examples/talk"),
    .executableTarget(name: "person", dependencies: ["Rondo"], path: "examples/person"),
    .executableTarget(name: "search", dependencies: ["Rondo"], path: "examples/search"),
    .executableTarget(name: "tools", dependencies: ["Rondo"], path: "examples/tools"),
    .executableTarget(name: "picture", dependencies: ["Rondo"], path: "examples/picture"),
    .executableTarget(name: "behaviours", dependencies: ["Rondo"], path: "tests/behaviours"),
  ],
  swiftLanguageVersions: [.version("6"), .v5])
