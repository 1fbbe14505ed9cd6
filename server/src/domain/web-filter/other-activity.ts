// The two categories of what a request does (docs/behaviour/content-filter.md 2): posting in social networks, and uploading
// to file-sharing services. By the method, the type of the body and the categories of the host. Pure.

import { canonicalPath, contentTypesOf } from './hosts.ts'

export const otherCategories = { posting: 'other.id.1', uploading: 'other.id.2' } as const

/** Social networks and social communities; file storage and file sharing. Numbers of the catalogue. */
export const socialNetworks: readonly string[] = ['extended.id.102', 'extended.id.103']
export const fileSharing: readonly string[] = ['extended.id.124', 'extended.id.125']

const writing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Viewing needs to sign in, which is a POST too. */
const signIn =
  /^\/(?:[a-z0-9._-]{1,40}\/){0,3}(?:login|signin|sign-in|logout|signout|auth|oauth|oauth2|sso|session|sessions|checkpoint)(?:[./?]|$)/i

/** Bodies of forms and of calls that scripts make, which are no files. */
const plainBodies: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'application/json',
  'application/graphql',
  'application/csp-report',
  'application/reports+json',
  'application/x-protobuf',
  'application/grpc-web+proto',
])

interface Activity {
  readonly method: string | null
  readonly path: string | null
  readonly requestType: string | null
}

/** `hostCategories`: every category of the host, whether rules may use it or not. */
export function activityOf({ method, path, requestType }: Activity, hostCategories: readonly string[]): string[] {
  if (method === null || !writing.has(method)) return []
  const isIn = (ids: readonly string[]): boolean => hostCategories.some((id) => ids.includes(id))
  const types = contentTypesOf(requestType)
  const found: string[] = []
  if (isIn(socialNetworks) && !isSignIn(path, types)) found.push(otherCategories.posting)
  if (isIn(fileSharing) && isUpload(method, types)) found.push(otherCategories.uploading)
  return found
}

function isSignIn(path: string | null, types: readonly string[]): boolean {
  const plain = canonicalPath((path ?? '').slice(0, 2_048))
  return signIn.test(plain) && !plain.includes('..') && !types.some((type) => type.startsWith('multipart/'))
}

/** A body without a type is what scripts send for a file. */
function isUpload(method: string, types: readonly string[]): boolean {
  if (method === 'DELETE') return false
  return method === 'PUT' || types.length === 0 || !types.every((type) => plainBodies.has(type))
}
