// The circuit of `subrosa-lab bench ceremony`, as files of circom: the chain x <- x^2 + i.
import { writeFileSync } from "node:fs";

const MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;

function u32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function raw(value) {
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex").reverse();
}

function number(value) {
  return raw(((value % MODULUS) + MODULUS) % MODULUS);
}

function file(magic, version, sections) {
  const parts = [Buffer.from(magic), u32(version), u32(sections.length)];
  for (const [id, body] of sections) {
    parts.push(u32(id), u64(body.length), body);
  }
  return Buffer.concat(parts);
}

function combination(terms) {
  const parts = [u32(terms.length)];
  for (const [wire, factor] of terms) {
    parts.push(u32(wire), number(factor));
  }
  return Buffer.concat(parts);
}

// Wire 0 is one, wire 1 the last x, wire 2 the first, and so on.
export function writeChain(constraints, r1cs, wtns) {
  const wire = (index) => (index === constraints ? 1 : index + 2);
  const rows = [];
  const values = new Array(constraints + 2);
  values[0] = 1n;
  let x = 3n;
  values[wire(0)] = x;
  for (let index = 0; index < constraints; index++) {
    const own = combination([[wire(index), 1n]]);
    rows.push(own, own, combination([[0, -BigInt(index)], [wire(index + 1), 1n]]));
    x = (x * x + BigInt(index)) % MODULUS;
    values[wire(index + 1)] = x;
  }
  const wires = constraints + 2;
  const header = Buffer.concat([
    u32(32), raw(MODULUS),
    u32(wires), u32(1), u32(0), u32(1), u64(wires), u32(constraints),
  ]);
  const labels = Buffer.concat(Array.from({ length: wires }, (_, index) => u64(index)));
  writeFileSync(r1cs, file("r1cs", 1, [[1, header], [2, Buffer.concat(rows)], [3, labels]]));
  const shape = Buffer.concat([header.subarray(0, 36), u32(wires)]);
  writeFileSync(wtns, file("wtns", 2, [[1, shape], [2, Buffer.concat(values.map(number))]]));
}
