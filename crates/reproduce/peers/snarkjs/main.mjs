// `node main.mjs ceremony POWER`: a turn in each phase of a ceremony and a proof, by snarkjs, in the
// rows of `subrosa-lab bench ceremony` and `bench snark`.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as snarkjs from "snarkjs";
import { writeChain } from "./chain.mjs";

const rows = [];

async function measure(name, count, work) {
  const [clock, cpu] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const used = process.cpuUsage(cpu);
  const wall_ms = performance.now() - clock;
  rows.push({ name, count, wall_ms, cpu_ms: (used.user + used.system) / 1000 });
  return result;
}

function holds(verdict, what) {
  if (verdict === false) {
    throw new Error(`snarkjs refuses its own ${what}`);
  }
}

async function ceremony(power, at) {
  const curve = await snarkjs.curves.getCurveFromName("bn128");
  const points = 5 * 2 ** power;
  const { powersOfTau, zKey, groth16 } = snarkjs;
  await powersOfTau.newAccumulator(curve, power, at("0.ptau"));
  await measure("contribute", points, () =>
    powersOfTau.contribute(at("0.ptau"), at("1.ptau"), "peer", "entropy"));
  holds(await measure("verify", points, () => powersOfTau.verify(at("1.ptau"))), "phase 1");
  await measure("prepare", points, () => powersOfTau.preparePhase2(at("1.ptau"), at("2.ptau")));

  const constraints = 2 ** power - 2;
  writeChain(constraints, at("chain.r1cs"), at("chain.wtns"));
  await measure("phase2-new", constraints, () =>
    zKey.newZKey(at("chain.r1cs"), at("2.ptau"), at("0.zkey")));
  const scaled = 2 * 2 ** power - 2;
  await measure("phase2-contribute", scaled, () =>
    zKey.contribute(at("0.zkey"), at("1.zkey"), "peer", "entropy"));
  holds(await measure("phase2-verify", scaled, () =>
    zKey.verifyFromR1cs(at("chain.r1cs"), at("2.ptau"), at("1.zkey"))), "phase 2");

  const key = await zKey.exportVerificationKey(at("1.zkey"));
  const { proof, publicSignals } = await measure("prove", constraints, () =>
    groth16.prove(at("1.zkey"), at("chain.wtns")));
  holds(await measure("verify-proof", 1, () => groth16.verify(key, publicSignals, proof)), "proof");
  const size = (name) => statSync(at(name)).size;
  return {
    params: { curve: "bn128", power, constraints },
    sizes: { file_bytes: size("1.ptau"), prepared_bytes: size("2.ptau"), key_bytes: size("1.zkey") },
  };
}

const [command, size] = process.argv.slice(2);
const power = Number(size);
if (command !== "ceremony" || !(power >= 2 && power <= 24)) {
  console.error("usage: node main.mjs ceremony POWER");
  process.exit(2);
}
const directory = mkdtempSync(join(tmpdir(), "peer-snarkjs-"));
try {
  const found = await ceremony(power, (name) => join(directory, name));
  console.log(JSON.stringify({ bench: "snarkjs", ...found, rows }));
} finally {
  rmSync(directory, { recursive: true });
}
process.exit(0);
