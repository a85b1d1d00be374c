// swift-tools-version:5.9
// The package that xcframework.sh makes, around the framework that it builds.
import PackageDescription

let package = Package(
  name: "Rondo",
  platforms: [.iOS(.v15), .macOS(.v13)],
  products: [.library(name: "Rondo", targets: ["Rondo"])],
  targets: [
    .binaryTarget(name: "CRondo", path: "CRondo.xcframework"),
    .target(name: "Rondo", dependencies: ["CRondo"]),
  ],
  swiftLanguageVersions: [.version("6"), .v5])
