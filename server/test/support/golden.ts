// Golden files: a sentence, the configuration that differs from the defaults, facts when they matter, and the whole
// output. `npm run golden` writes the outputs again (and docs/openapi.json and the import table of docs/ARCHITECTURE.md);
// tests only compare.
// Requirement 26.

import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { areas } from '../../src/areas/index.ts'
import type { Config, Slot } from '../../src/core/model/slots.ts'
import type { Artifact } from '../../src/core/plan/artifacts.ts'
import type { Facts } from '../../src/core/plan/facts.ts'
import { artifactName, contentOf, createPlanner } from '../../src/core/plan/planner.ts'
import { fillMarks, type SecretForm } from '../../src/core/plan/sealed.ts'
import { errorPagesText } from '../../src/domain/web-filter/block-page.ts'
import { quote as quoteForSnmp } from '../../src/engines/snmp/snmp.ts'
import { withImportTable } from '../architecture/import-table.ts'
import { withRequirements } from '../architecture/requirements.ts'
import { openApiText } from '../contract/openapi-text.ts'
import { labFacts } from './test-gateway.ts'

const secretOf: Readonly<Record<SecretForm, (place: string) => string>> = {
  snmp: (place) => quoteForSnmp(`the "secret" \\ of ${place}`),
  pem: () => '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----',
}

const repository = join(import.meta.dirname, '..', '..', '..')
const slots: readonly Slot[] = areas.flatMap((area) => area.slots)

export interface GoldenCase {
  readonly path: string
  readonly sentence: string
  readonly config: Config
  readonly facts: Facts
  /** Artifact name to expected content. */
  readonly expected: ReadonlyMap<string, string>
  readonly inputText: string
}

export function listGoldenCases(): GoldenCase[] {
  return globSync('server/src/areas/*/golden/*.golden', { cwd: repository })
    .sort()
    .map((path) => parseCase(path, readFileSync(join(repository, path), 'utf8')))
}

function parseCase(path: string, text: string): GoldenCase {
  const [sentence = '', ...sections] = text.split(/^-- (?=.* --$)/m)
  const config: Record<string, unknown> = Object.fromEntries(slots.map((slot) => [slot.key, slot.initial]))
  const expected = new Map<string, string>()
  let facts = labFacts
  let inputText = sentence
  for (const section of sections) {
    const end = section.indexOf(' --\n')
    const title = section.slice(0, end)
    const content = section.slice(end + 4).trimEnd()
    if (title.startsWith('expect ')) {
      expected.set(title.slice('expect '.length), content)
      continue
    }
    inputText += `-- ${section}`
    if (title === 'facts') facts = { ...labFacts, ...(JSON.parse(content) as Partial<Facts>) }
    else if (title.startsWith('config.')) {
      const key = title.slice('config.'.length)
      if (!(key in config)) throw new Error(`${path}: there is no slot ${key}`)
      const value = JSON.parse(content) as object
      config[key] = Array.isArray(value) ? value : { ...(config[key] as object), ...value }
    } else throw new Error(`${path}: unknown section ${title}`)
  }
  return { path, sentence: sentence.trim(), config, facts, expected, inputText }
}

/** What is rendered by the area whose folder the file is in, with stand-ins for secrets. */
export const renderCase = ({ path, config, facts }: GoldenCase): readonly Artifact[] =>
  createPlanner(areas.filter(({ name }) => path.startsWith(`server/src/areas/${name}/`)))
    .render(config, facts)
    .map((artifact) =>
      artifact.kind === 'file'
        ? { ...artifact, text: fillMarks(artifact.text, ({ form, place }) => secretOf[form](place)) }
        : artifact,
    )

function writeCase(golden: GoldenCase): void {
  const outputs = renderCase(golden).map(
    (artifact) => `-- expect ${artifactName(artifact)} --\n${contentOf(artifact).trimEnd()}\n`,
  )
  writeFileSync(join(repository, golden.path), `${golden.inputText.trimEnd()}\n${outputs.join('')}`)
}

if (process.argv.includes('--write')) {
  for (const golden of listGoldenCases()) writeCase(golden)
  writeFileSync(join(repository, 'docs', 'openapi.json'), openApiText())
  writeFileSync(join(repository, 'server/src/engines/web-filter/error-pages.json'), errorPagesText())
  const architecture = join(repository, 'docs', 'ARCHITECTURE.md')
  writeFileSync(architecture, withImportTable(readFileSync(architecture, 'utf8')))
  const security = join(repository, 'docs', 'security.md')
  writeFileSync(security, withRequirements(readFileSync(security, 'utf8')))
}
