// Modules that the build makes (vite.config.ts).

declare module 'virtual:messages/en' {
  import type { Messages } from '@lingui/core'

  export const messages: Messages
}

declare module 'virtual:messages/ru' {
  import type { Messages } from '@lingui/core'

  export const messages: Messages
}
