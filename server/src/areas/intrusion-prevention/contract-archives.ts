// Archives of rules that the operator uploads (docs/behaviour/intrusion-prevention.md 2.7). An addition of ours: the interface names
// sources of signatures and has no call to load them from a file.

import { endpoint } from '../../core/contract/endpoint.ts'
import { CreatedString, oneOf, Spoken, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { say } from '../../shared/said.ts'
import { RefusedRule, refusalTable } from './contract-refusals.ts'

export const maxArchiveBytes = 64 * 1024 * 1024
export const maxArchives = 32

export const RuleArchive = strictObject({
  id: Type.String(),
  name: Type.String(),
  state: oneOf(
    ['checking', 'active', 'failed'],
    'Of the last upload under this name. checking: the inspection engine checks the rules, and those of the upload before are in use.',
  ),
  message: Type.String({ description: 'Why the last upload failed, or what it waits for; otherwise empty.' }),
  received_at: Type.Integer({ 'x-time': 'unix' }),
  rules: Type.Integer({ description: 'Rules in use.' }),
  files: Type.Integer({ description: 'Files with rules.' }),
  disabled: Type.Integer({ description: 'Rules behind a #; they are not used.' }),
  checked: Type.Boolean({ description: 'The inspection engine has checked the rules in use.' }),
  failed_count: Type.Integer({ description: 'Rules that were left out.' }),
  failed: Type.Array(RefusedRule, {
    description: 'The first hundred of them.',
  }),
  notes: Type.Array(Type.String()),
  sentences: Type.Optional(Spoken),
})

export const ruleArchives = {
  list: endpoint({
    method: 'GET',
    path: '/ips/rule_archives',
    access: 'view',
    summary: 'List the archives of rules',
    reply: Type.Array(RuleArchive),
    example: {
      reply: [
        {
          id: '5a8b6f0e-0c55-4f0e-9f43-6e8cfb2a3f1d',
          name: 'emerging.rules.tar.gz',
          state: 'active',
          message: '',
          received_at: 1_790_000_000,
          rules: 39_812,
          files: 51,
          disabled: 9_204,
          checked: true,
          failed_count: 1,
          failed: [
            {
              file: 'emerging-malware.rules',
              line: 12,
              sid: 2_000_001,
              reason: 'The option lua is not allowed, because it runs a program.',
            },
          ],
          notes: [],
        },
      ],
    },
  }),
  create: endpoint({
    method: 'POST',
    path: '/ips/rule_archives',
    errors: ['conflict', 'invalid', 'unavailable'],
    access: 'configure',
    summary: 'Load signatures from an archive of rules',
    description:
      'A tar archive, plain or compressed with gzip, a zip archive, or a file of rules. Files named *.rules and classification.config ' +
      'are read, in any folder. An archive with the same name replaces the one before. Answered when the rules are read; they are in ' +
      'use when the inspection engine has checked them, which GET /ips/rule_archives and GET /ips/signature_checks show. 409 while ' +
      'another archive is received.',
    effect: 'action',
    query: strictObject({
      name: Type.Optional(
        text({ minLength: 1, maxLength: 128, description: 'Such as the name of the file; rules when absent.' }),
      ),
    }),
    rawBodyType: 'application/octet-stream',
    streamsBody: true,
    bodyLimitBytes: maxArchiveBytes,
    tooLargeMessage: say`The archive is larger than 64 MB. Remove files of rules that are not used, then upload it again.`,
    reply: CreatedString,
  }),
  refusals: endpoint({
    method: 'GET',
    path: '/ips/rule_archives/:archive_id/refusals',
    access: 'view',
    summary: 'List the rules of an archive that were left out',
    ...refusalTable,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/ips/rule_archives/:archive_id',
    access: 'configure',
    summary: 'Remove an archive of rules',
    description: 'Its signatures are gone at once.',
    effect: 'action',
  }),
}

export const signatureChecks = endpoint({
  method: 'GET',
  path: '/ips/signature_checks',
  access: 'view',
  summary: 'List the checks of large uploads',
  description: 'A check ends with the client of its call, or with its archive.',
  reply: Type.Array(
    strictObject({
      kind: oneOf(['archive', 'file', 'known']),
      archive_id: Type.String(),
      name: Type.String(),
      started_at: Type.Integer({ 'x-time': 'unix' }),
      total: Type.Integer({ description: 'Rules.' }),
      done: Type.Integer(),
      refused: Type.Integer(),
    }),
  ),
})
