/** The tabs of a pipeline besides its jobs, as in their addresses. */
export const testsTab = 'test_report';
export const explanationTab = 'explanation';
