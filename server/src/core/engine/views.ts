// What others read from the list of engines: the firewall its closed ports, the log reader its sources, the sandbox of
// systemd its folders. Functions of the list, so that a test can add an engine.

import type { EngineData, LogSource, ServicePort } from './engine.ts'

export interface NamedLog extends LogSource {
  /** The unit, and the name of its log file. */
  readonly name: string
}

export const logSources = (engines: readonly EngineData[]): readonly NamedLog[] =>
  engines.flatMap(({ units }) => Object.entries(units).flatMap(([name, { log }]) => (log ? [{ name, ...log }] : [])))

/** A port that external interfaces do not reach, with the title of its engine. */
export interface ClosedPort extends ServicePort {
  readonly title: string
}

export const closedPorts = (engines: readonly EngineData[]): readonly ClosedPort[] =>
  engines.flatMap(({ title, ports }) =>
    Object.values(ports)
      .filter(({ networks }) => networks === 'local')
      .map((port) => ({ ...port, title })),
  )

/** Folders directly below the state folder, with the access that each needs. */
export const topFolders = (engines: readonly EngineData[]) =>
  engines.flatMap(({ folders }) => folders.filter(({ path }) => !path.includes('/')))
