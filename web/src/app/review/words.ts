// The review in words: what changes, told as the forms say it, and the sentence at its head.

import type { DryRun, ObjectChange } from '@gateway/server/core/dry-run'
import { find } from '@gateway/server/shared/said'
import { labelOf, valueWord } from '../../contract/words.ts'
import type { NumberOf } from '../../util/rule-numbers.ts'
import { titleOfObject, wordOfValue } from '../../util/stored-objects.ts'
import { t } from '../../words.ts'

export interface FieldWords {
  readonly label: string
  readonly before: string
  readonly after: string
  /** Of a long list: how many entries stay as they are. */
  readonly note: string
}

/** Bookkeeping that a person did not change. */
const silent = new Set(['id', 'timestamp', 'password_timestamp', 'password_hash'])

type FieldChange = ObjectChange['fields'][number]

const isPlainWord = (value: unknown): boolean => typeof value === 'string' && /^[a-z]+(_[a-z]+)*$/.test(value)

/** What a person wrote is never taken for a word of the wire: a comment `drop_all` stays what it is, in any language. */
const written =
  /(?:^|[_.])(?:title|name|names|comment|login|description|host|hostname|domain|user|email|community|reason|text|value|values|words?|path|url)$/

/** Fixed words of the wire get their label; everything else is shown as it is. */
const sayValue = (field: string, value: unknown, nameOf?: (id: string) => string): string =>
  isPlainWord(value) && !written.test(field) ? t(valueWord(value)) : wordOfValue(value, nameOf)

export function fieldWords(
  { field, before, after, unchanged }: FieldChange,
  nameOf?: (id: string) => string,
): FieldWords {
  return {
    label: t(labelOf(field)),
    before: sayValue(field, before, nameOf),
    after: sayValue(field, after, nameOf),
    note:
      unchanged === undefined
        ? ''
        : t('{count, plural, one {# other entry stays} other {# other entries stay}}', { count: unchanged }),
  }
}

export const shownFields = ({ fields }: ObjectChange): readonly FieldChange[] =>
  fields.filter(({ field, before, after }) => !silent.has(field) && !isNothing(before, after))

/** What a new object has unless something else is chosen; it is folded away, so that what was chosen is easy to see. */
export const isUsual = ({ after }: FieldChange): boolean =>
  (after ?? null) === null ||
  (typeof after === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(after)) ||
  after === false ||
  after === '' ||
  after === 'any' ||
  (Array.isArray(after) && (after.length === 0 || (after.length === 1 && after[0] === 'any')))

const isNothing = (before: unknown, after: unknown): boolean =>
  (before ?? null) === null &&
  ((after ?? null) === null || after === '' || (Array.isArray(after) && after.length === 0))

/** Of a changed object only the changed fields are known, and a new comment is not its name. */
export const objectTitle = ({ object, action, fields }: ObjectChange, numberOf?: NumberOf): string =>
  titleOfObject(
    object,
    action === 'changed' ? fields.filter(({ field }) => field !== 'comment') : fields,
    // What is added has no place yet.
    action === 'added' ? undefined : numberOf,
  )

export const actionWord = (action: ObjectChange['action']): string =>
  ({ added: t('added'), changed: t('changed'), moved: t('moved'), removed: t('removed') })[action]

/** "1 object changes, 2 kernel lines, 2 live connections are cut". */
export function summaryOf({ changes, artifacts, connections_total }: DryRun): string {
  if (changes.length === 0) return t('Nothing would change')
  const lines = artifacts.reduce((sum, one) => sum + one.removed_lines.length + one.added_lines.length, 0)
  const parts = [
    t('{count, plural, one {# object changes} other {# objects change}}', { count: changes.length }),
    ...(lines === 0
      ? []
      : [t('{count, plural, one {# line on the machine} other {# lines on the machine}}', { count: lines })]),
    ...(connections_total === 0
      ? []
      : [
          t('{count, plural, one {# live connection is refused} other {# live connections are refused}}', {
            count: connections_total,
          }),
        ]),
  ]
  return parts.join(', ')
}

/** The guard against lock-out refused: whose connection would end, or null when the refusal is another one. */
export const lockOutReason = (failure: { readonly reason: string | null; readonly message: string }): string | null =>
  failure.reason === 'lock_out' ? (find(failure.message)?.values[0] ?? failure.message) : null
