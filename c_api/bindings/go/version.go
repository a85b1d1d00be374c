package rondo

// PackageVersion is this package's own release.
const PackageVersion = "0.9.0"
