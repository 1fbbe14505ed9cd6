// The objects that rules name, read once for all pages of the area.

import { listAll } from '@gateway/server/contract/objects'
import { useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { emptyIndex, indexObjects, type ObjectIndex } from '../../util/objects.ts'

export function useObjects(): { readonly index: ObjectIndex; readonly isReady: boolean } {
  const { data } = useRead(listAll)
  const all = data?.data
  return useMemo(() => ({ index: all ? indexObjects(all) : emptyIndex, isReady: all !== undefined }), [all])
}
