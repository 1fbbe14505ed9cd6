// The entries of an access list as lines to type and paste.

import type { AccessEntry } from '@gateway/server/contract/firewall'
import { useState } from 'react'
import type { RenderProps } from '../../contract/define.ts'
import { Field } from '../../ui/field.tsx'
import { LinesEditor } from '../../ui/lines-editor.tsx'
import { t } from '../../words.ts'
import { printEntry, readEntries } from './access-entries.ts'

export function AccessEntriesField({ value, isDisabled, problem, onChange }: RenderProps) {
  // Lines that cannot be read yet are in the draft too, so that it is refused with them.
  const entries = Array.isArray(value) ? value.filter(isEntry) : []
  const printed = entries.map(printEntry)
  const [lines, setLines] = useState<readonly string[] | null>(null)
  const shown = lines ?? printed
  const read = readEntries(shown)
  // What was written and means the same stays as it was written.
  const isOwn = JSON.stringify(read.entries) === JSON.stringify(entries)
  const text = isOwn || read.problems.size > 0 ? shown : printed
  return (
    <Field
      label={t('Entries in their order; the first match decides')}
      hint={t('One a line: allow tcp 10.0.0.0/8 -> 192.168.0.0/24:443')}
      problem={problem}
    >
      {(ids) => (
        <LinesEditor
          {...ids}
          value={text}
          problems={read.problems}
          lines={14}
          isDisabled={isDisabled}
          onChange={(next) => {
            setLines(next)
            const now = readEntries(next)
            // A line that cannot be read must not be lost on the way: the form is refused with it.
            onChange(
              now.problems.size > 0
                ? [...now.entries, ...[...now.problems.keys()].map((at) => ({ line: next[at] }))]
                : now.entries,
            )
          }}
        />
      )}
    </Field>
  )
}

const isEntry = (one: unknown): one is AccessEntry => typeof one === 'object' && one !== null && 'saddr' in one
