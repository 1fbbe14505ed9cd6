// Gives the answer of a call to the person as a file. The name comes from the gateway or from an id, never from other text.

const safeName = (name: string): string => name.replaceAll(/[^\w.-]+/g, '_').slice(0, 100)

/** The name that the gateway gives in its header. */
function givenName(header: string | null): string | null {
  const match = /filename="?([^";]+)"?/i.exec(header ?? '')
  return match?.[1] ?? null
}

export async function saveFile(response: Response, name: string | null): Promise<void> {
  const content = await response.blob()
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = safeName(name ?? givenName(response.headers.get('content-disposition')) ?? 'download')
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
