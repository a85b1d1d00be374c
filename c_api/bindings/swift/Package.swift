// swift-tools-version:5.6
import PackageDescription

let package = Package(
  name: "Rondo",
  products: [.library(name: "Rondo", targets: ["Rondo"])],
  targets: [
    .systemLibrary(name: "CRondo", pkgConfig: "rondo"),
    .target(name: "Rondo", dependencies: ["CRondo"]),
    .executableTarget(name: "example", dependencies: ["Rondo"]),
  ])
