// Headers of every reply (docs/behaviour/security.md 37, 39 and 40; docs/behaviour/api.md 7).

export const fixedHeaders = {
  'cache-control': 'no-store',
  vary: 'accept-encoding',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const
export const tlsHeaders = { ...fixedHeaders, 'strict-transport-security': 'max-age=31536000' } as const
