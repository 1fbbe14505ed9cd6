// The frames of the Zabbix protocol: `ZBXD`, a byte of flags, eight bytes of length and the text.

const head = Buffer.from('ZBXD\x01')
const headBytes = head.length + 8

export function frameOf(text: string): Buffer {
  const body = Buffer.from(text)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(body.length))
  return Buffer.concat([head, length, body])
}

/** Null while it is not complete. */
export function readFrame(data: Buffer): string | null {
  if (data.length < headBytes || !data.subarray(0, head.length).equals(head)) return null
  const length = data.readUInt32LE(head.length)
  return data.length < headBytes + length ? null : data.subarray(headBytes, headBytes + length).toString()
}
