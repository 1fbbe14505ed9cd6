// Tests that fail now and then while their fault is being hunted. Each has a reason and a last day; until then its failure is
// printed and does not fail the run. The list may only become shorter (server/test/architecture/test-runner.test.ts).

/** { name, reason, until: 'YYYY-MM-DD' }: the name of the test, with those of what it is in: `suite > test`. */
export const hunted = []

/** The failures that fail the run, and what to print about the others. */
export function failuresThatCount(failures, list, today) {
  const day = today.toISOString().slice(0, 10)
  const open = list.filter(({ until }) => until >= day)
  const causes = failures.filter(({ details }) => details?.error?.failureType !== 'subtestsFailed')
  const isHunted = ({ name }) => open.some((one) => one.name.split(' > ').at(-1) === name)
  const excused = causes.filter(isHunted)
  const counted = causes.filter((failure) => !isHunted(failure))
  const lines = excused.map(({ name }) => {
    const { reason, until } = open.find((one) => one.name.split(' > ').at(-1) === name)
    return `Failed, and is being hunted until ${until}: ${name} (${reason})\n`
  })
  return { counted, text: lines.join('') }
}
