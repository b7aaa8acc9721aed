# The functions of nixpkgs' lib that the flake calls, with the same meaning.
rec {
  inherit (builtins) filter head;
  last = list: builtins.elemAt list (builtins.length list - 1);
  unique = builtins.foldl' (seen: item: if builtins.elem item seen then seen else seen ++ [ item ]) [ ];
  subtractLists = without: builtins.filter (item: !builtins.elem item without);
  hasPrefix = prefix: text: builtins.substring 0 (builtins.stringLength prefix) text == prefix;
  removePrefix =
    prefix: text:
    if hasPrefix prefix text then builtins.substring (builtins.stringLength prefix) (-1) text else text;
  splitString =
    separator: text:
    builtins.filter builtins.isString (
      builtins.split (builtins.replaceStrings [ "." ] [ "[.]" ] separator) text
    );
  getAttrFromPath = path: set: builtins.foldl' (inner: name: inner.${name}) set path;
  mkIf = condition: content: if condition then content else { };
  mkOption = option: option;
  mkEnableOption = description: { inherit description; };
  types = {
    port = "port";
    str = "str";
    attrsOf = type: { inherit type; };
    listOf = type: { inherit type; };
  };
  licenses = {
    gpl3Plus = "GPL-3.0-or-later";
    epl10 = "EPL-1.0";
  };
}
