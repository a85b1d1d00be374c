{
  description = "Language models on edge devices, in one planned block of memory";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-24.11";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = nixpkgs.lib.genAttrs systems;
    in {
      packages = each (system: rec {
        default = rondo;
        rondo = nixpkgs.legacyPackages.${system}.callPackage ./package.nix { };
      });
    };
}
