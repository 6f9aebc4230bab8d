// SPDX-License-Identifier: MIT OR Apache-2.0
// Verifies proofs of Groth16 over BN254 under one verification key. Written by `subrosa snark solidity`.
pragma solidity >=0.8.13 <0.9.0;

contract $NAME {
    /// The order of the groups, which public inputs are below.
    uint256 private constant ORDER = $ORDER;

    /// Whether a proof is right$FOR_INPUTS. Points have the form of EIP-197, the coefficient of i first.
    /// What is not canonical, not on its curve, outside the subgroup or at infinity is not right.
    function verifyProof(
        uint256[2] calldata a,
        uint256[2][2] calldata b,
        uint256[2] calldata c$PARAMETER
    ) external view returns (bool isRight) {
        assembly ("memory-safe") {
            function put(at, x, y) {
                mstore(at, x)
                mstore(add(at, 0x20), y)
            }
            function is_zero(at) -> zero {
                zero := iszero(or(mload(at), mload(add(at, 0x20))))
            }
            // Adds input · (x, y) to the point at `sum`; 96 bytes behind it are scratch.
            function add_term(sum, x, y, input) -> done {
                let term := add(sum, 0x40)
                put(term, x, y)
                mstore(add(term, 0x40), input)
                done := and(lt(input, ORDER), staticcall(gas(), 7, term, 0x60, term, 0x40))
                done := and(done, staticcall(gas(), 6, sum, 0x80, sum, 0x40))
            }

            // e(A, B) · e(α, −β) · e(IC₀ + Σ inputᵢ · ICᵢ, −γ) · e(C, −δ) = 1: four pairs of 192 bytes.
            let pairs := mload(0x40)
            calldatacopy(pairs, a, 0x40)
            calldatacopy(add(pairs, 0x40), b, 0x80)
            calldatacopy(add(pairs, 0x240), c, 0x40)
            isRight := iszero(or(is_zero(pairs), is_zero(add(pairs, 0x240))))
            isRight := and(isRight, iszero(and(is_zero(add(pairs, 0x40)), is_zero(add(pairs, 0x80)))))

            let sum := add(pairs, 0x180)
            put(sum, $IC_0)
$TERMS
            put(add(pairs, 0xc0), $ALPHA)
            put(add(pairs, 0x100), $MINUS_BETA_X)
            put(add(pairs, 0x140), $MINUS_BETA_Y)
            put(add(pairs, 0x1c0), $MINUS_GAMMA_X)
            put(add(pairs, 0x200), $MINUS_GAMMA_Y)
            put(add(pairs, 0x280), $MINUS_DELTA_X)
            put(add(pairs, 0x2c0), $MINUS_DELTA_Y)
            if isRight {
                isRight := staticcall(gas(), 8, pairs, 0x300, pairs, 0x20)
                // On a chain without the precompile nothing is returned, and A is still there.
                isRight := and(isRight, and(eq(returndatasize(), 0x20), eq(mload(pairs), 1)))
            }
        }
    }
}
