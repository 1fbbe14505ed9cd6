// Sends a file and tells how much of it is sent, which fetch cannot say.

import type { Endpoint } from '@gateway/server/contract'
import { addressOf, type CallOptions, passGate, refusalOf, unreachable } from './call.ts'

export interface UploadOptions {
  readonly onProgress: (sentBytes: number) => void
  readonly signal?: AbortSignal
  readonly query?: Readonly<Record<string, string>>
}

/** The body as the call takes it: the bytes themselves, or a form with the file in its field. */
function bodyOf({ formField }: Endpoint, file: File): File | FormData {
  if (formField === null) return file
  const form = new FormData()
  form.append(formField, file)
  return form
}

/** The text of the answer. A refusal is thrown as a Failure. */
export async function upload(endpoint: Endpoint, file: File, options: UploadOptions): Promise<string> {
  const { onProgress, signal, query = {} } = options
  await passGate(endpoint)
  const request = new XMLHttpRequest()
  await new Promise<void>((resolve, reject) => {
    signal?.addEventListener('abort', () => request.abort())
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onload = () => resolve()
    request.onerror = () => reject(unreachable())
    request.onabort = () => reject(new DOMException('The upload was stopped.', 'AbortError'))
    request.open(endpoint.method, addressOf(endpoint, { query } as CallOptions))
    request.setRequestHeader('accept', 'application/json')
    if (endpoint.formField === null && endpoint.rawBodyType !== null)
      request.setRequestHeader('content-type', endpoint.rawBodyType)
    request.send(bodyOf(endpoint, file))
  })
  const { status, responseText } = request
  if (status >= 200 && status < 300) return responseText
  const retryAfter = request.getResponseHeader('retry-after')
  throw await refusalOf(
    new Response(responseText, { status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } }),
  )
}
