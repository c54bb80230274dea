# nix run github:agentsentinel/sentinel -- init
#
# When other packages of modules are imported, vendorHash is another one:
#   go test ./internal/packagingtest -run Nix
{
  description = "Checks each tool call of a coding agent against the rules of a repository";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.buildGoModule {
          pname = "sentinel-guard";
          version = self.shortRev or "dirty";
          src = self;
          vendorHash = "sha256-zsCqht96Fnjmfbc6QA1T7oF1EdsvWEpQtzyuxZWN/iw=";
          subPackages = [ "cmd/sentinel" "cmd/sentinel-audit" "cmd/sentinel-watch" ];
          env.CGO_ENABLED = 0;
          ldflags = [ "-s" "-w" ];
          nativeBuildInputs = [ pkgs.installShellFiles ];
          doCheck = false; # the tests start programs that a build has not
          postInstall = ''
            go run ./tools/manual out
            installManPage out/man/*.1
            installShellCompletion out/completions/sentinel.{bash,zsh,fish}
          '';
          meta = {
            homepage = "https://github.com/agentsentinel/sentinel";
            license = nixpkgs.lib.licenses.mit;
            mainProgram = "sentinel";
          };
        };
      });
      devShells = each (pkgs: { default = pkgs.mkShell { packages = [ pkgs.go pkgs.nodejs pkgs.shellcheck ]; }; });
    };
}
