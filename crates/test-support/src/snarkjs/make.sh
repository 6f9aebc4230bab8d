# Makes every kind of file that snarkjs writes, once per curve: make.sh CURVE
set -eu
curve=$1
snarkjs() { node ../node_modules/snarkjs/build/cli.cjs "$@" > log 2>&1 || { cat log >&2; exit 1; }; }
circom() { node ../node_modules/circom2/cli.js "$@" > log 2>&1 || { cat log >&2; exit 1; }; }

snarkjs powersoftau new "$curve" 8 new.ptau
snarkjs powersoftau contribute new.ptau named.ptau --name=Ana -e=one
snarkjs powersoftau contribute named.ptau unnamed.ptau --name= -e=two
snarkjs powersoftau beacon unnamed.ptau beacon.ptau 0102030405060708090a0b0c0d0e0f10 10 --name=noise
snarkjs powersoftau prepare phase2 beacon.ptau prepared.ptau
snarkjs powersoftau prepare phase2 new.ptau trivial.ptau
snarkjs powersoftau truncate prepared.ptau
snarkjs powersoftau export challenge unnamed.ptau challenge
snarkjs powersoftau challenge contribute "$curve" challenge response -e=three

circom circuit.circom --r1cs --wasm -p "$curve" -o .
echo '{"a": "3", "b": "11"}' > input.json
snarkjs wtns calculate circuit_js/circuit.wasm input.json circuit.wtns
snarkjs groth16 setup circuit.r1cs prepared.ptau new.zkey
snarkjs zkey contribute new.zkey named.zkey --name=Ana -e=four
snarkjs zkey beacon named.zkey beacon.zkey 0102 10
snarkjs zkey export bellman beacon.zkey parameters
snarkjs zkey export verificationkey beacon.zkey verification_key.json
snarkjs groth16 prove beacon.zkey circuit.wtns proof.json public.json
snarkjs groth16 verify verification_key.json public.json proof.json
