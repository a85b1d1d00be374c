// swift-tools-version:5.6
import PackageDescription

let package = Package(
  name: "Rondo",
  platforms: [.macOS(.v12), .iOS(.v15)],
  products: [.library(name: "Rondo", targets: ["Rondo"])],
  targets: [
    .systemLibrary(name: "CRondo", pkgConfig: "rondo"),
    .target(name: "Rondo", dependencies: ["CRondo"]),
    .executableTarget(name: "example", dependencies: ["Rondo"]),
    .executableTarget(name: "search", dependencies: ["Rondo"]),
    .executableTarget(name: "tools", dependencies: ["Rondo"]),
    .executableTarget(name: "life", dependencies: ["Rondo"]),
    .executableTarget(name: "picture", dependencies: ["Rondo"]),
  ])
