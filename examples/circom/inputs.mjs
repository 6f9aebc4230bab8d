// Inputs for the three circuits: inputs.mjs PACKAGES OUT. Keys and secrets are for the example.
import { createRequire } from 'node:module'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [packages, out] = process.argv.slice(2)
const require = createRequire(join(packages, 'index.js'))
const { buildBabyjub, buildPoseidon, newMemEmptyTrie } = require('circomlibjs')
const { poseidonEncrypt } = require('@zk-kit/poseidon-cipher')

const write = (name, inputs) => {
  const text = (_, value) => (typeof value === 'bigint' ? value.toString() : value)
  writeFileSync(join(out, `${name}.json`), JSON.stringify(inputs, text, 1))
}
const padded = (list, length) => [...list, ...Array(length - list.length).fill(0n)]

const poseidon = await buildPoseidon()
const babyjub = await buildBabyjub()
const number = (element) => poseidon.F.toObject(element)
const hash = (inputs) => number(poseidon(inputs))
const times = (point, scalar) => babyjub.mulPointEscalar(point, scalar)
const numbers = (point) => point.map(number)

// smt: the key 7 is in a sparse Merkle tree, with the value 49.
const tree = await newMemEmptyTrie()
for (let key = 1n; key <= 20n; key++) await tree.insert(key, key * key)
const { siblings, foundValue } = await tree.find(7n)
write('smt', {
  enabled: 1, fnc: 0, root: number(tree.root), key: 7n, value: number(foundValue),
  siblings: padded(siblings.map(number), 10), oldKey: 0, oldValue: 0, isOld0: 0,
})

// membership: the third of four identities in a group says "12345" in the scope 1.
const secrets = [11n, 22n, 33n, 44n].map((secret) => secret ** 20n)
const leaves = secrets.map((secret) => hash(numbers(times(babyjub.Base8, secret))))
write('membership', {
  secret: secrets[2], merkleProofLength: 2, merkleProofIndex: 2, message: 12345n, scope: 1n,
  merkleProofSiblings: padded([leaves[3], hash(leaves.slice(0, 2))], 20),
})

// command: a voter's message to the coordinator of a poll, whose key decrypts it.
const coordinator = 98765432109876543210n
const voter = 12345678901234567890n
const shared = numbers(times(times(babyjub.Base8, coordinator), voter))
const packed = [5n, 2n, 9n, 1n, 0n].reduce((sum, part, index) => sum + (part << BigInt(50 * index)), 0n)
const command = [packed, ...numbers(times(babyjub.Base8, voter)), 4242n, 1n, 2n, 3n]
write('command', {
  message: poseidonEncrypt(command, shared, 0n), encPrivKey: coordinator,
  encPubKey: numbers(times(babyjub.Base8, voter)),
})
