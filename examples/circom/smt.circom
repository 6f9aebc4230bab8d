pragma circom 2.1.5;
include "smt/smtverifier.circom";
component main {public [enabled, root, key, value, fnc]} = SMTVerifier(10);
