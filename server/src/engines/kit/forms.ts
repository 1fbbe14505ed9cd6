// Which texts a plan may write into the files of an engine. What the engine would accept and we do not has no form: programs,
// modules, includes, paths and sockets.

/** Each line is one of these, in any order. */
interface LineForms {
  readonly lines: readonly (string | RegExp)[]
  readonly mostLineBytes?: number
  /** A fault then names the number of the line and does not repeat it. */
  readonly isSecret?: boolean
}

/** The whole text is of this form; the fault is a sentence about any other. */
interface WholeForm {
  readonly whole: RegExp
  readonly fault: string
}

/** `own program`: nothing reads it but a program of ours, which is not root and refuses by itself what it does not know. */
export type FileForm = LineForms | WholeForm | 'own program'

interface Reader {
  readonly files: Readonly<Record<string, FileForm>>
}

/** More would only repeat what is wrong. */
const mostFaults = 3

/** The form of a file of the unit, also of an instance of a template; undefined when the unit does not read it. */
export function formOf({ files }: Reader, name: string): FileForm | undefined {
  const all = name.replace(/\..*$/s, '.*')
  return [name, all].filter((key) => Object.hasOwn(files, key)).map((key) => files[key])[0]
}

/** What applyd says against a text; a file that the unit does not read may not hold anything. */
export function faultsIn(unit: Reader, file: string, text: string): readonly string[] {
  const form = formOf(unit, file)
  if (form === undefined) return [`The file ${file} is not known.`]
  if (form === 'own program') return []
  if ('whole' in form) return form.whole.test(text) ? [] : [form.fault]
  const { lines, mostLineBytes = Number.POSITIVE_INFINITY, isSecret = false } = form
  const isAllowed = (line: string): boolean =>
    Buffer.byteLength(line) <= mostLineBytes &&
    lines.some((one) => (typeof one === 'string' ? one === line : one.test(line)))
  return text
    .split('\n')
    .flatMap((line, index) =>
      isAllowed(line) ? [] : [isSecret ? `Line ${index + 1}` : `The line "${line.slice(0, 100)}"`],
    )
    .slice(0, mostFaults)
    .map((what) => `${what} is not allowed in ${file}.`)
}
