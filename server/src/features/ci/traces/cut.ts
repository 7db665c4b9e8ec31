/** Whether a runner cut a log: it says so at the end of what it kept. Pure. */

const longestNotice = 512;
const notice = /Job's log exceeded limit of (\d{1,15}) bytes/;

/** Looks at the end of a log that arrives in pieces. */
export function cutScanner(): { push(data: Buffer): void; result(): number | null } {
  let tail = '';
  return {
    push(data) {
      tail = (tail + data.subarray(-longestNotice).toString('latin1')).slice(-longestNotice);
    },
    result() {
      const limit = notice.exec(tail)?.[1];
      return limit === undefined ? null : Number(limit);
    },
  };
}
