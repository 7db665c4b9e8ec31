/** The ref under which a request's head stays reachable and can be fetched. */
export const headRef = (iid: number) => `refs/merge-requests/${iid}/head`;
