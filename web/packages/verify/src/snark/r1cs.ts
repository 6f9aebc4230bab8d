import { equal, integer, Reader, text } from '../bytes.js';
import { must } from '../refusal.js';

/** A factor times a wire. */
export interface Term {
  wire: number;
  factor: bigint;
}

export type Combination = Term[];

/** A rank-1 constraint system: `⟨a, z⟩·⟨b, z⟩ = ⟨c, z⟩` for each constraint. */
export interface System {
  wires: number;
  /** Public wires, without the constant one. */
  public: number;
  constraints: [Combination, Combination, Combination][];
}

/** Sections of a container by their identifiers. */
function sections(bytes: Uint8Array): Map<number, Uint8Array> {
  const reader = new Reader(bytes);
  must(equal(reader.take(4), text('r1cs')) && reader.u32() === 1, 'SN-10', 'the circuit is no r1cs file of version 1');
  const found = new Map<number, Uint8Array>();
  for (let count = reader.count(1024, 'sections'); count > 0; count--) {
    const id = reader.u32();
    const length = reader.u64();
    must(length <= BigInt(reader.left), 'CV-1', 'a section is longer than its file');
    must(!found.has(id), 'SN-10', `the section ${id} is there twice`);
    found.set(id, reader.take(Number(length)));
  }
  reader.end();
  return found;
}

/** Reads a circuit over the field with `order` elements. */
export function readR1cs(bytes: Uint8Array, order: bigint): System {
  const found = sections(bytes);
  const [header, list] = [found.get(1), found.get(2)];
  must(header !== undefined && list !== undefined && found.has(3), 'SN-10', 'the circuit lacks a section');
  // A section of custom gates that is not used has a count of zero.
  must([4, 5].every((id) => (found.get(id)?.length ?? 0) <= 4), 'SN-10', 'the circuit has custom gates');
  const head = new Reader(header);
  must(head.u32() === 32 && integer(head.take(32)) === order, 'SN-10', 'the circuit is over another field');
  const wires = head.u32();
  const outputs = head.u32();
  const inputs = head.u32();
  const secret = head.u32();
  head.u64();
  const count = head.u32();
  head.end();
  must(1 + outputs + inputs + secret <= wires, 'SN-10', 'the circuit has more public wires than wires');
  must(found.get(3)!.length === 8 * wires, 'SN-10', 'the circuit has not a label for each wire');
  const reader = new Reader(list);
  const combination = (): Combination => {
    const terms: Combination = [];
    for (let left = reader.u32(); left > 0; left--) {
      const wire = reader.u32();
      const factor = integer(reader.take(32));
      must(wire < wires && factor < order, 'SN-10', 'a wire or a factor of the circuit is out of bounds');
      terms.push({ wire, factor });
    }
    return terms;
  };
  const constraints: System['constraints'] = [];
  for (let i = 0; i < count; i++) constraints.push([combination(), combination(), combination()]);
  reader.end();
  return { wires, public: outputs + inputs, constraints };
}
