// Disks of this machine that could be given away as a whole: with a medium, without partitions, and in use by nothing that
// this process can see. Formatting a disk checks it again.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface FreeDisk {
  readonly id: string
  readonly title: string
  readonly bytes: number
}

export interface DiskPlaces {
  readonly blockFolder: string
  readonly mounts: string
  readonly swaps: string
}

const systemPlaces: DiskPlaces = {
  blockFolder: '/sys/block',
  mounts: '/proc/self/mountinfo',
  swaps: '/proc/swaps',
}

/** The kernel counts sizes in these, whatever the disk itself does. */
const sectorBytes = 512

/** Made of memory, files or other disks, or read by a drive for optical or flexible media. */
const notADisk = /^(?:loop|ram|zram|dm-|md|sr|fd|nbd)/

export async function freeDisks(places: DiskPlaces = systemPlaces): Promise<FreeDisk[]> {
  const names = await readdir(places.blockFolder).catch(() => [])
  const mounted = new Set((await textOf(places.mounts)).split('\n').map((line) => line.split(' ')[2] ?? ''))
  const swaps = new Set((await textOf(places.swaps)).split('\n').map((line) => line.split(/\s/)[0] ?? ''))
  const found = await Promise.all(
    names.filter((name) => !notADisk.test(name) && !swaps.has(`/dev/${name}`)).map((name) => readDisk(places, name)),
  )
  return found.flatMap((disk) => (disk && !mounted.has(disk.device) ? [disk.shown] : []))
}

async function readDisk({ blockFolder }: DiskPlaces, name: string) {
  const folder = join(blockFolder, name)
  const word = async (...path: string[]): Promise<string> => cleaned(await textOf(join(folder, ...path)))
  const bytes = Number(await word('size')) * sectorBytes
  const isWritable = (await word('ro')) === '0'
  const inner = await readdir(folder).catch(() => [])
  const holders = await readdir(join(folder, 'holders')).catch(() => [])
  // Partitions are folders that begin with the name of their disk.
  const isUsed = holders.length > 0 || inner.some((entry) => entry.startsWith(name))
  if (!(bytes > 0) || !isWritable || isUsed) return null
  const id = (await word('wwid')) || (await word('device', 'wwid')) || (await word('serial')) || name
  const model = await word('device', 'model')
  const title = [model, name, `${(bytes / 1e9).toFixed(1)} GB`].filter(Boolean).join(', ')
  return { device: await word('dev'), shown: { id, title, bytes } }
}

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

/** What a disk says of itself is text from outside. */
const cleaned = (text: string): string =>
  text
    .replaceAll(/[^\x20-\x7e]/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
    .slice(0, 200)
