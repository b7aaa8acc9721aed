# rocrate and what it needs, which nixpkgs lacks: the files that setup/requirements.txt pins.
{ modules, fetchPypi }:

let
  package =
    pname: version: sha256: dependencies:
    modules.buildPythonPackage {
      inherit pname version dependencies;
      pyproject = true;
      src = fetchPypi { inherit pname version sha256; };
      build-system = [ modules.setuptools ];
      doCheck = false; # the published files have no tests
    };
  arcp = package "arcp" "0.2.1" "5c17ac7972c9ef82979cc2caf2b3a87c1aefd3fefe9adb8a5dd728ada57715dd" [ ];
in
{
  rocrate =
    package "rocrate" "0.16.0" "eafd31adf0f6c0603eb68ff6e0f1f9f82028f7ffd345a7fe485eecee8240d485"
      [
        arcp
        modules.click
        modules.jinja2
        modules.python-dateutil
        modules.requests
      ];
}
