pragma circom 2.0.0;

include "node_modules/circomlib/circuits/comparators.circom";
include "node_modules/circomlib/circuits/poseidon.circom";

// Arrays of two dimensions, an assertion two templates deep, messages, a loop as long as an input says.
template Small(bits) {
    signal input in;
    signal output out <== LessThan(bits)([in, 1000]);
    out === 1;
}

template Everything() {
    signal input table[2][3];
    signal input steps;
    signal input flag;
    signal output root;
    signal output counted;

    component small = Small(20);
    small.in <== table[0][0];
    log("first", table[0][0], "then");
    log(table[1][2]);
    root <== Poseidon(6)([table[0][0], table[0][1], table[0][2], table[1][0], table[1][1], table[1][2]]);

    var count = 0;
    while (count != steps) {
        count = count + 1;
    }
    counted <-- count;
    counted === steps;
    flag * (flag - 1) === 0;
}

component main {public [flag]} = Everything();
