// Squid before 6.13 breaks off uploads: when its buffer for a request is full to the last byte, the buffer grows by one, the next
// read fills that too, and then it takes a read without room for the end of the connection (bug 5405). This shared object is
// loaded into it and comes before `read` and, for connections of clients, before `SSL_read`: both ask for one byte less than
// there is room for. The buffer is then never full to the last byte, and Squid waits for the server as it is meant to
// (docs/decisions/0111-uploads-on-squid-5.md).

import { type Code, type Parts, sharedObject } from './shared-object.ts'

const imports = [
  { name: '__read', isWeak: false },
  { name: 'dlsym', isWeak: false },
  // Programs without TLS load it too: the helpers of Squid.
  { name: 'SSL_is_server', isWeak: true },
] as const

/** The bytes of it, or null for a machine that has no Debian of ours. */
export function shortReads(architecture: string): Buffer | null {
  const parts = architectures[architecture]
  return parts ? sharedObject({ ...parts, imports, texts: ['SSL_read'] }) : null
}

const bytes = (text: string): number[] => text.split(' ').map((pair) => Number.parseInt(pair, 16))

/** An instruction of which the last four bytes are a distance from its end. */
const near = (at: number, code: readonly number[], opcode: string, target: number): number[] => {
  const start = [...code, ...bytes(opcode)]
  const distance = Buffer.alloc(4)
  distance.writeInt32LE(target - (at + start.length + 4))
  return [...start, ...distance]
}

/** `read(rdi, rsi, rdx)` */
const readOnX64: Code = (at, { pointer }) => {
  const code = [
    ...bytes('48 83 fa 02'), // cmp rdx, 2
    ...bytes('72 03'), // jb over the next one
    ...bytes('48 ff ca'), // dec rdx
  ]
  return Buffer.from(near(at, code, 'ff 25', pointer('__read'))) // jmp [__read]
}

/** `SSL_read(rdi, rsi, edx)` */
const secureReadOnX64: Code = (at, { pointer, text }) => {
  let code = bytes('57 56 52') // push rdi; push rsi; push rdx
  code = near(at, code, 'ff 15', pointer('SSL_is_server')) // call [SSL_is_server]
  code = [
    ...code,
    ...bytes('85 c0'), // test eax, eax
    ...bytes('74 09'), // jz over the next three
    ...bytes('83 3c 24 02'), // cmp dword [rsp], 2
    ...bytes('7c 03'), // jl over the next one
    ...bytes('ff 0c 24'), // dec dword [rsp]
    ...bytes('48 c7 c7 ff ff ff ff'), // mov rdi, RTLD_NEXT
  ]
  code = near(at, code, '48 8d 35', text('SSL_read')) // lea rsi, "SSL_read"
  code = near(at, code, 'ff 15', pointer('dlsym')) // call [dlsym]
  return Buffer.from([...code, ...bytes('5a 5e 5f ff e0')]) // pop rdx; pop rsi; pop rdi; jmp rax
}

/** `adr register, target` */
const address = (at: number, register: number, target: number): number => {
  const distance = target - at
  return (0x10000000 | ((distance & 3) << 29) | (((distance >> 2) & 0x7ffff) << 5) | register) >>> 0
}

const instructions = (words: readonly number[]): Buffer => {
  const out = Buffer.alloc(4 * words.length)
  for (const [index, word] of words.entries()) out.writeUInt32LE(word, 4 * index)
  return out
}

/** `read(x0, x1, x2)` */
const readOnArm64: Code = (at, { pointer }) =>
  instructions([
    0xf100085f, // cmp x2, #2
    0xd1000443, // sub x3, x2, #1
    0x9a822062, // csel x2, x3, x2, hs
    address(at + 12, 16, pointer('__read')),
    0xf9400210, // ldr x16, [x16]
    0xd61f0200, // br x16
  ])

/** `SSL_read(x0, x1, w2)` */
const secureReadOnArm64: Code = (at, { pointer, text }) =>
  instructions([
    0xa9bd7bfd, // stp x29, x30, [sp, #-48]!
    0xa90107e0, // stp x0, x1, [sp, #16]
    0xf90013e2, // str x2, [sp, #32]
    address(at + 12, 16, pointer('SSL_is_server')),
    0xf9400210, // ldr x16, [x16]
    0xd63f0200, // blr x16
    0xb94023e2, // ldr w2, [sp, #32]
    0x340000a0, // cbz w0, over the next four
    0x7100085f, // cmp w2, #2
    0x5400006b, // b.lt over the next two
    0x51000442, // sub w2, w2, #1
    0xb90023e2, // str w2, [sp, #32]
    0x92800000, // mov x0, RTLD_NEXT
    address(at + 52, 1, text('SSL_read')),
    address(at + 56, 16, pointer('dlsym')),
    0xf9400210, // ldr x16, [x16]
    0xd63f0200, // blr x16
    0xaa0003f0, // mov x16, x0
    0xa94107e0, // ldp x0, x1, [sp, #16]
    0xb94023e2, // ldr w2, [sp, #32]
    0xa8c37bfd, // ldp x29, x30, [sp], #48
    0xd61f0200, // br x16
  ])

const architectures: Readonly<Record<string, Pick<Parts, 'machine' | 'symbolRelocation' | 'exports'>>> = {
  x64: { machine: 62, symbolRelocation: 6, exports: { read: readOnX64, SSL_read: secureReadOnX64 } },
  arm64: { machine: 183, symbolRelocation: 1025, exports: { read: readOnArm64, SSL_read: secureReadOnArm64 } },
}
