// Who changed a rule, when and why, in the words of the form.

import { useMemo } from 'react'
import { ItemHistory } from '../../contract/render/item-history.tsx'
import { useSpeaking } from '../../contract/render/use-speaking.ts'
import { formFields, type Schema } from '../../contract/schema.ts'
import { addressKinds, interfaceKinds, portKinds, timeKinds } from '../../util/objects.ts'
import { fieldTitles, type RuleTable } from './rules/tables.ts'

const refers: Readonly<Record<string, readonly string[]>> = {
  source_addresses: addressKinds,
  destination_addresses: addressKinds,
  source_ports: portKinds,
  destination_ports: portKinds,
  timetable: timeKinds,
  incoming_interface: interfaceKinds,
  outgoing_interface: interfaceKinds,
}

export function RuleHistory({ table, id }: { readonly table: RuleTable; readonly id: number }) {
  const fields = useMemo(() => {
    const specs = Object.fromEntries(
      Object.entries(fieldTitles).map(([name, label]) => [
        name,
        { label, ...(refers[name] ? { refers: refers[name] } : {}) },
      ]),
    )
    // Cast: a body is a schema; the form reads it as data.
    return formFields(table.calls.create.body as unknown as Schema, specs)
  }, [table])
  const speaking = useSpeaking(fields)
  return (
    <ItemHistory
      stored={`firewall.${table.name}`}
      list={table.calls.list}
      id={String(id)}
      fields={fields}
      speaking={speaking}
    />
  )
}
