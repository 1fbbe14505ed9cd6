// Signs out, and says so when the gateway does not answer.

import { Failure } from '../api/failure.ts'
import { leave } from '../api/session.ts'
import { toast } from '../ui/toast.tsx'
import { heard } from '../words.ts'

export async function signOut(): Promise<void> {
  try {
    await leave()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    toast(heard(error.message), { tone: 'bad' })
  }
}
