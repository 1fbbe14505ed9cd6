declare module 'virtual:messages/ru' {
  import type { Messages } from '@lingui/core'

  export const messages: Messages
}
