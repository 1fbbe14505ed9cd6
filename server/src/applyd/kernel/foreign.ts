// The functions of libc and of the nft library that applyd calls through node:ffi, and sockets of the kernel's netlink
// interface. Only the worker of this folder loads it: every call blocks its thread.

import { dlopen, toString as readText } from 'node:ffi'
import { closeSync, readdirSync, readSync, writeSync } from 'node:fs'
import { endianness } from 'node:os'

const [int, pointer, text] = ['int32', 'pointer', 'string'] as const

function openLibc() {
  const { functions } = dlopen(null, {
    socket: { return: int, arguments: [int, int, int] },
    setsockopt: { return: int, arguments: [int, int, int, pointer, 'uint32'] },
    setns: { return: int, arguments: [int, int] },
    memfd_create: { return: int, arguments: [text, 'uint32'] },
    ioctl: { return: int, arguments: [int, 'uint64', pointer] },
    malloc_trim: { return: int, arguments: ['uint64'] },
  })
  return functions
}

function openNft(path: string) {
  const { functions } = dlopen(path, {
    nft_ctx_new: { return: pointer, arguments: ['uint32'] },
    nft_ctx_free: { return: 'void', arguments: [pointer] },
    nft_ctx_set_dry_run: { return: 'void', arguments: [pointer, 'bool'] },
    nft_ctx_buffer_output: { return: int, arguments: [pointer] },
    nft_ctx_buffer_error: { return: int, arguments: [pointer] },
    nft_ctx_get_error_buffer: { return: pointer, arguments: [pointer] },
    nft_run_cmd_from_filename: { return: int, arguments: [pointer, text] },
  })
  return functions
}

/** `ioctl` that closes a descriptor in every program that the process starts. */
const closeInChildren = 0x5451n
const networkNamespace = 0x40000000
const closeOnExec = 0x80000
const families = { netlink: 16, raw: 3, netfilter: 12 } as const
const memoryCloseOnExec = 1
const options = { socket: 1, sendBuffer: 7, sendBufferForce: 32, netlink: 270, shortAnswers: 10 } as const
const descriptors = '/proc/self/fd'
/** Larger than any reply to a dump, and than what a refused batch is answered with. */
const receiveBytes = 256 * 1024
/** The kernel takes a batch only as a whole; without more room it takes about 200 kB. */
const roomBytes = 8 * 1024 * 1024

export type Foreign = ReturnType<typeof openForeign>

/** `namespace` is an open descriptor of the network namespace to work in; without it that of the process. */
export function openForeign(namespace: number | null) {
  if (endianness() !== 'LE') throw new Error('The order of bytes of this machine is not supported.')
  const libc = openLibc()
  if (namespace !== null && libc.setns(namespace, networkNamespace) !== 0)
    throw new Error('The network namespace cannot be entered.')

  /** A socket for requests and their replies. */
  function openSocket() {
    const socket = libc.socket(families.netlink, families.raw | closeOnExec, families.netfilter)
    if (socket < 0) throw new Error('The kernel offers no netlink socket for netfilter.')
    const size = Buffer.alloc(4)
    size.writeInt32LE(roomBytes)
    // A user namespace may not force it and has the room that the system allows.
    if (libc.setsockopt(socket, options.socket, options.sendBufferForce, size, 4) !== 0)
      libc.setsockopt(socket, options.socket, options.sendBuffer, size, 4)
    // A refusal does not repeat what was refused.
    const on = Buffer.from([1, 0, 0, 0])
    libc.setsockopt(socket, options.netlink, options.shortAnswers, on, on.length)
    const buffer = Buffer.alloc(receiveBytes)
    return {
      send: (bytes: Buffer): void => {
        writeSync(socket, bytes)
      },
      /** Valid until the next call. */
      receive: (): Buffer => buffer.subarray(0, readSync(socket, buffer, 0, buffer.length, null)),
      close: () => closeSync(socket),
    }
  }

  /** Opened only after a socket of ours: the library ends the process when it gets none. */
  function openLibrary(path: string) {
    const nft = openNft(path)

    /** `isCheck`: nothing is loaded. */
    function createContext(isCheck: boolean) {
      const open = new Set(readdirSync(descriptors))
      const context = nft.nft_ctx_new(0)
      // The library lets its socket through to programs that we start. Those of others are closed in them already.
      for (const name of readdirSync(descriptors)) if (!open.has(name)) libc.ioctl(Number(name), closeInChildren, null)
      if (context === 0n) throw new Error('The nft library has no memory.')
      if (isCheck) nft.nft_ctx_set_dry_run(context, 1)
      nft.nft_ctx_buffer_output(context)
      return {
        /** What the library says against the script; null when it takes it. `path` is what it calls the script. */
        run: (path: string): string | null => {
          nft.nft_ctx_buffer_error(context)
          const status = nft.nft_run_cmd_from_filename(context, path)
          return status === 0 ? null : (readText(nft.nft_ctx_get_error_buffer(context)) ?? '')
        },
        free: () => nft.nft_ctx_free(context),
      }
    }
    return { createContext }
  }

  /** A file in memory, for as long as the work takes. */
  function withFile<T>(bytes: Uint8Array, work: (path: string) => T): T {
    const file = libc.memfd_create('nft', memoryCloseOnExec)
    if (file < 0) throw new Error('There is no memory for a script.')
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      return work(`/proc/self/fd/${file}`)
    } finally {
      closeSync(file)
    }
  }

  /** Gives memory of the library back to the system. */
  const trimMemory = (): void => {
    libc.malloc_trim(0n)
  }

  return { openSocket, openLibrary, withFile, trimMemory }
}
