pragma circom 2.0.0;

include "node_modules/circomlib/circuits/comparators.circom";
include "node_modules/circomlib/circuits/poseidon.circom";

// "I know a number below the limit, and what hides it in this commitment."
template Commitment() {
    signal input limit;
    signal input value;
    signal input blinding;
    signal output commitment;

    component hash = Poseidon(2);
    hash.inputs[0] <== value;
    hash.inputs[1] <== blinding;
    commitment <== hash.out;

    component below = LessThan(32);
    component bits = Num2Bits(32);
    bits.in <== value;
    below.in[0] <== value;
    below.in[1] <== limit;
    below.out === 1;
}

component main {public [limit]} = Commitment();
