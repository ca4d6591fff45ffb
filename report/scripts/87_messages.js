// SPDX-License-Identifier: Apache-2.0
// What models were asked and answered, drawn when it is opened: a run has hundreds of messages. Then the section whole.
'use strict';

page.toolCalls = (calls) => page.list(calls).map(page.object).map((call) => {
  const named = page.object(call.function); // of a message that was sent; of an answer it stands in the call itself
  return page.element('div', {}, [page.element('p', {class: 'file'}, `calls ${call.name || named.name || 'a tool'}`),
    page.element('pre', {class: 'lines'}, String(call.arguments || named.arguments || '')), call.complaint ? page.element('p', {class: 'hint'}, `refused: ${call.complaint}`) : '']);
});

page.messageFold = (agents, message, index) => {
  const text = typeof message.text === 'number' ? String(page.list(agents.texts)[message.text] || '') : '';
  return page.fold(String(message.role || 'message'), `${page.bytes(page.isNumber(message.bytes) ? message.bytes : text.length)}`, () =>
    [page.element('pre', {class: 'lines message'}, text), ...page.toolCalls(message.tool_calls)], {'data-message': index});
};

page.questionText = (question) => {
  const usage = page.object(question.usage);
  const tokens = page.isNumber(usage.prompt_tokens) ? `, ${usage.is_estimated ? 'about ' : ''}${usage.prompt_tokens} + ${usage.answer_tokens} tokens` : '';
  return `${String(question.model || '')}${question.activity ? `, ${String(question.activity).replaceAll('_', ' ')}` : ''}${question.question > 0 ? `, asked again (${question.question})` : ''}${tokens}${question.finish && question.finish !== 'stop' ? `, ended by ${question.finish}` : ''}`;
};

page.questionFold = (agents, question) => page.fold(`Messages: ${question.role}`, page.questionText(question), () => [
  ...page.list(question.messages).map(page.object).map((message, index) => page.messageFold(agents, message, index)),
  question.reasoning ? page.fold('Thoughts', page.bytes(String(question.reasoning).length), () => page.element('pre', {class: 'lines message'}, String(question.reasoning))) : '',
  page.element('p', {class: 'file'}, 'Answer'), page.element('pre', {class: 'lines message'}, String(question.answer || '')), ...page.toolCalls(question.tool_calls)]);

page.allQuestions = (agents) => {
  const questions = page.list(agents.questions).map(page.object);
  return questions.length === 0 ? '' : page.fold(page.count(questions.length, 'question to a model', 'questions to models'), 'in their order, with messages and answers', () =>
    questions.map((question) => page.questionFold(agents, question)));
};

// Of a run without agents nothing of the section stays.
page.showAgents = () => {
  const {agents} = page.data;
  if (!agents) {
    document.getElementById('agents').remove();
    document.querySelector('nav.sections a[href="#agents"]').parentElement.remove();
    return;
  }
  page.body('agents').append(...page.agentsLead(agents), ...page.whyBest(agents), ...[].concat(page.attemptPlot(agents)), ...page.agentsPlans(agents), ...page.attemptList(agents),
    ...page.agentsSpending(agents), page.element('h3', {}, 'All of it'), page.allQuestions(agents), page.agentsDecisions(agents), page.agentsPrompts(agents));
};
