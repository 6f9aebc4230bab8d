// Compiles a contract, deploys it, and calls it: contract.mjs PACKAGES SOURCE CALLDATA
// The proof must be accepted; with any word of the call changed, it must not.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [packages, source, calldata] = process.argv.slice(2)
const require = createRequire(join(packages, 'index.js'))
const solc = require('solc')
const { createEVM } = require('@ethereumjs/evm')
const { bytesToHex, hexToBytes } = require('@ethereumjs/util')

const input = {
  language: 'Solidity',
  sources: { contract: { content: readFileSync(source, 'utf8') } },
  settings: { optimizer: { enabled: true }, outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
}
const { contracts, errors } = JSON.parse(solc.compile(JSON.stringify(input)))
if (errors) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))
const [{ evm: { bytecode } }] = Object.values(contracts.contract)

const evm = await createEVM()
const gasLimit = 10_000_000n
const { createdAddress: to } = await evm.runCall({ data: hexToBytes('0x' + bytecode.object), gasLimit })
const call = async (data) => {
  const { execResult } = await evm.runCall({ to, data, gasLimit })
  const right = !execResult.exceptionError && BigInt(bytesToHex(execResult.returnValue)) === 1n
  return { right, gas: execResult.executionGasUsed }
}
const data = hexToBytes(readFileSync(calldata, 'utf8').trim())
const { right, gas } = await call(data)
if (!right) throw new Error('the contract refuses the proof')
for (let last = 4 + 31; last < data.length; last += 32) {
  const changed = Uint8Array.from(data)
  changed[last] ^= 1
  if ((await call(changed)).right) throw new Error(`the contract accepts the proof with word ${(last - 35) / 32} changed`)
}
console.log(`the contract accepts the proof, for ${gas} gas, and no other`)
