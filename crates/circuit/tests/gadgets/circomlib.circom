pragma circom 2.0.0;

include "node_modules/circomlib/circuits/babyjub.circom";
include "node_modules/circomlib/circuits/escalarmulfix.circom";
include "node_modules/circomlib/circuits/poseidon.circom";

// The hashes of 1; 1, 2; and so on, and v·Base8 + r·PBASE[0].
template Known() {
    signal input v[251];
    signal input r[251];
    signal output hash[16];
    signal output point[2];

    component poseidon[16];
    for (var n = 1; n <= 16; n++) {
        poseidon[n - 1] = Poseidon(n);
        for (var i = 0; i < n; i++) {
            poseidon[n - 1].inputs[i] <== i + 1;
        }
        hash[n - 1] <== poseidon[n - 1].out;
    }

    component value = EscalarMulFix(251, [
        5299619240641551281634865583518297030282874472190772894086521144482721001553,
        16950150798460657717958625567821834550301663161624707787222815936182638968203
    ]);
    component randomness = EscalarMulFix(251, [
        10457101036533406547632367118273992217979173478358440826365724437999023779287,
        19824078218392094440610104313265183977899662750282163392862422243483260492317
    ]);
    for (var i = 0; i < 251; i++) {
        value.e[i] <== v[i];
        randomness.e[i] <== r[i];
    }
    component sum = BabyAdd();
    sum.x1 <== value.out[0];
    sum.y1 <== value.out[1];
    sum.x2 <== randomness.out[0];
    sum.y2 <== randomness.out[1];
    point[0] <== sum.xout;
    point[1] <== sum.yout;
}

component main = Known();
