//! Examples in the long help of the commands that people begin with. A test runs every one as far as its
//! arguments.

/// Of `subrosa`.
pub const PROGRAM: &str = "\
Examples:
  subrosa election run examples/election
  subrosa verify out/election/bundle

SUBROSA_BOARD stands in for --board, SUBROSA_BOARD_KEY for --board-key, and SUBROSA_KEY for the --key of a party.";

/// Of `verify`.
pub const VERIFY: &str = "\
Examples:
  subrosa verify out/election/bundle
  subrosa verify answer --accept unaudited";

/// Of `election run`.
pub const ELECTION_RUN: &str = "\
Examples:
  subrosa election run examples/election
  subrosa election run examples/election --limit 1000 -o out/1000";

/// Of `election register`.
pub const ELECTION_REGISTER: &str = "\
Example:
  subrosa election register election.toml --voters voters.csv --roll roll.csv";

/// Of `election init`.
pub const ELECTION_INIT: &str = "\
Example:
  subrosa election init election.toml --board board --key operator.key --roll roll.csv --stations KEY \
--trustees KEY,KEY --mixers KEY,KEY --opens '2026-11-23 08:00' --closes '2026-11-24 18:00'";

/// Of `election count`.
pub const ELECTION_COUNT: &str = "\
Examples:
  subrosa election count examples/election/ballots.csv --method schulze --method irv
  subrosa election count examples/park-board/ballots.blt --method scottish-stv";

/// Of `election status`.
pub const ELECTION_STATUS: &str = "\
Example:
  subrosa election status --board board";

/// Of `vote`.
pub const VOTE: &str = "\
Examples:
  subrosa vote keygen -o ana.key --name Ana
  subrosa vote keygen --batch ballots.csv -o keys --lines voters.csv
  subrosa vote check-roll --board board --key ana.key --name Ana
  subrosa vote seal Stew Soup --board board --key ana.key -o first.sealed
  subrosa vote audit first.sealed --board board
  subrosa vote submit second.sealed --board board --key ana.key --station https://station.example:8490
  subrosa vote check second.sealed --bundle out/lunch/bundle";

/// Of `station`.
pub const STATION: &str = "\
Example:
  subrosa station serve --board board --key station.key --listen 127.0.0.1:8490 --queue queue";

/// Of `survey run`.
pub const SURVEY_RUN: &str = "\
Examples:
  subrosa survey run examples/pay-survey
  subrosa verify out/pay-survey/bundle";

/// Of `trustee`.
pub const TRUSTEE: &str = "\
Examples:
  subrosa keygen -o trustee.key
  subrosa trustee run --board https://board.example:8480 --tls-trust board.pem --key trustee.key

An address needs the key that `subrosa log init` printed: --board-key KEY, or SUBROSA_BOARD_KEY.";

/// Of `mix`.
pub const MIX: &str = "\
Examples:
  subrosa mix keygen --secret secret.key --public public.key
  subrosa mix encrypt messages.txt --key public.key -o ciphertexts
  subrosa mix shuffle ciphertexts --key public.key --election vote --mix 1 --mixer 1 --position 1 -o first.mix
  subrosa mix verify ciphertexts first.mix --key public.key
  subrosa mix decrypt first.mix --secret secret.key";

/// Of `trace`.
pub const TRACE: &str = "\
Examples:
  subrosa keygen -o querier.key
  subrosa trace submit lunch --board board --key sender.key
  subrosa trace query in --board board --key querier.key --inputs all --outputs 0-9 -o answer";

/// Of `log`.
pub const LOG: &str = "\
Examples:
  subrosa log init lunch --origin example.org/lunch
  subrosa log serve lunch/keeper.toml
  subrosa keygen -o author.key
  subrosa log submit http://127.0.0.1:8480 soup.txt --key author.key --kind lunch/option --subject 1
  subrosa log show http://127.0.0.1:8480
  subrosa log evidence evidence";

/// Of `board`.
pub const BOARD: &str = "\
Examples:
  subrosa keygen -o operator.key
  subrosa log init board --origin board.example/lunch
  subrosa log serve board/keeper.toml
  subrosa board show --board board";

/// Of `ceremony phase1`.
pub const PHASE1: &str = "\
Examples:
  subrosa ceremony phase1 new --power 12 -o 0.ptau
  subrosa ceremony phase1 contribute 0.ptau -o 1.ptau --name Ana
  subrosa ceremony phase1 verify 1.ptau --after 0.ptau
  subrosa ceremony phase1 prepare 1.ptau -o prepared.ptau";

/// Of `ceremony phase2`.
pub const PHASE2: &str = "\
Examples:
  subrosa ceremony phase2 new circuit.r1cs --phase1 prepared.ptau -o 0.zkey
  subrosa ceremony phase2 contribute 0.zkey -o 1.zkey --r1cs circuit.r1cs --phase1 prepared.ptau
  subrosa ceremony phase2 verify 1.zkey --r1cs circuit.r1cs --phase1 prepared.ptau
  subrosa ceremony phase2 export 1.zkey -o verification_key.json";

/// Of `snark prove`.
pub const SNARK_PROVE: &str = "\
Example:
  subrosa snark prove --key key.zkey --witness witness.wtns --proof proof.json --public public.json";

/// Of `snark verify`.
pub const SNARK_VERIFY: &str = "\
Example:
  subrosa snark verify proof.json --key verification_key.json --public public.json";

/// Of `snark witness`.
pub const SNARK_WITNESS: &str = "\
Example:
  subrosa snark witness circuit_js/circuit.wasm input.json -o circuit.wtns";

/// Of `snark solidity`.
pub const SNARK_SOLIDITY: &str = "\
Examples:
  subrosa snark solidity --key verification_key.json -o Verifier.sol
  subrosa snark calldata proof.json --public public.json";

/// Of `snark export`.
pub const SNARK_EXPORT: &str = "\
Examples:
  subrosa snark export verification_key.json --encoding arkworks -o vk.bin
  subrosa snark import vk.bin --encoding arkworks --kind key --curve bn254 -o verification_key.json";

/// Of `table`.
pub const TABLE: &str = "\
Examples:
  subrosa table init pay --schema schema.toml
  subrosa table ingest pay rows.csv --epoch 1
  subrosa table seal pay --epoch 1
  subrosa table query pay 'SELECT AVG(pay) FROM pay WHERE epoch = 1' -o answer
  subrosa verify answer --accept unaudited";

/// Of `vole prove`.
pub const VOLE_PROVE: &str = "\
Example:
  subrosa vole prove income.circuit --witness witness.json --connect tcp://verifier.example:7071";

/// Of `vole verify`.
pub const VOLE_VERIFY: &str = "\
Example:
  subrosa vole verify income.circuit --listen tcp://0.0.0.0:7071 --key verifier.key -o verdict";
