pragma circom 2.0.0;

template Chain(n) {
    signal input a;
    signal input b;
    signal output c;
    signal output d;
    signal x[n + 1];
    x[0] <== a * b;
    for (var i = 0; i < n; i++) {
        x[i + 1] <== x[i] * (x[i] + 3 * a + i);
    }
    c <== x[n];
    d <== a + b * b;
}

component main {public [a]} = Chain(50);
