package panel

// chinese is what the panel says in Chinese, by the English. A test holds it
// to the words that the pages use, both ways.
var chinese = map[string]string{
	// The frame of a page.
	"Skip to content": "跳到正文", "Pages": "页面", "Inbox": "收件箱", "Sessions": "会话", "Decisions": "决定",
	"Stand-ins": "模拟平台", "Sign in": "登录", "Sign out": "退出登录", "Close": "关闭", "Keys": "按键", "keys": "按键",
	"Pages of this list": "列表分页", "First page": "第一页", "Next page": "下一页", "To the Inbox": "前往收件箱",
	"This page no longer hears from Postern and may be out of date. Reload it.": "此页面已收不到 Postern 的消息，内容可能过期，请重新加载。",
	"next and previous row":                              "下一行、上一行",
	"open the row, or press the chosen button":           "打开该行，或按下选中的按钮",
	"choose Allow or Deny; Enter then decides":           "选中“允许”或“拒绝”，再按回车决定",
	"choose an option of a question; Enter then answers": "选中一个选项，再按回车回答",
	"up to the list":                                     "返回列表", "these keys": "显示这些按键", "move": "移动", "opens": "打开",

	// Lists.
	"Which items": "显示哪些", "Waiting": "待处理", "All": "全部",
	"Nothing waits for an answer.":                                          "没有等待答复的请求。",
	"No agent has asked for anything yet.":                                  "还没有智能体提出过请求。",
	"No session yet. Name the agent in a thread, or open one over the API.": "还没有会话。请在消息中提及智能体，或通过 API 新建。",
	"Nothing came in yet.":                                                  "还没有收到任何消息。",
	"asked %s":                                                              "提出于 %s", "expires %s": "到期 %s", "does not expire": "不会到期",
	"policy version %s": "策略版本 %s", "nobody named": "无发送者", "waiting for an answer": "等待答复",

	// An item.
	"About this request": "关于此请求", "Arguments": "参数", "The answer": "答复", "Tool": "工具", "Risk": "风险",
	"Why a person": "为何需要人", "Session": "会话", "Asked for": "为谁提出", "Queue": "队列", "Asked": "提出",
	"Shown at": "显示于", "up to date": "已是最新", "What else waits": "其他待处理的请求",
	"What this asks in full is for those who may answer it and for the people of its session.": "完整内容只对可以答复的人和该会话的人员显示。",
	"You may look, and not answer.":                  "您可以查看，但不能答复。",
	"Those who may answer are listed by %s.":         "可以答复的人由 %s 列出。",
	"In this queue nobody approves his own request.": "在此队列中，任何人都不能批准自己的请求。",
	"Choose one or more":                             "请选择一项或多项", "Your answer": "您的答复", "Answer": "答复",
	"Reason, if you deny (the agent reads it)": "拒绝的理由（智能体会读到）",
	"Allow once": "允许一次", "Deny": "拒绝", "allow": "允许", "deny": "拒绝",
	"ran: %s": "执行结果：%s", "Recorded: %s.": "已记录：%s。", "Not recorded: %s.": "未记录：%s。",
	"allowed by %s at %s (%s)":                          "由 %s 于 %s 允许（%s）",
	"denied by %s at %s":                                "由 %s 于 %s 拒绝",
	"answered by %s at %s (%s)":                         "由 %s 于 %s 答复（%s）",
	"expired at %s without an answer; nothing was done": "于 %s 到期，无人答复；未执行任何操作",
	"cancelled at %s; nothing was done":                 "于 %s 取消；未执行任何操作",
	"withdrawn by %s at %s; nothing was done":           "由 %s 于 %s 撤回；未执行任何操作",

	// A session.
	"mode %s": "模式 %s", "asks in queue %s": "在队列 %s 提问", "ticket %s": "工单 %s", "Audit (%d)": "审计（%d）",
	"Older rows are left out: at most %[1]d of the last %[2]d days are shown.": "较早的记录已省略：最多显示最近 %[2]d 天的 %[1]d 条。",
	"Nothing was said here yet.": "这里还没有对话。", "Waits for an answer:": "等待答复：",
	"This agent runs elsewhere and keeps its own transcript. What it asked for is below.":            "该智能体在别处运行，对话由它自己保存。它的请求见下方。",
	"This agent runs elsewhere, unattended in mode %[1]s; it asks in queue %[2]s.":                   "该智能体在别处以 %[1]s 模式无人值守运行，在队列 %[2]s 提问。",
	"This session runs unattended in mode %[1]s; it asks in queue %[2]s. Write to it in its thread.": "此会话以 %[1]s 模式无人值守运行，在队列 %[2]s 提问。请在原消息串中给它留言。",
	"waits for a person": "等待人答复", "asleep until %s": "休眠至 %s", "asleep until something happens": "休眠中，等待事件",
	"result of %s": "%s 的结果", "agent (%s)": "智能体（%s）",

	// Messages.
	"Open a sign-in link: press Open on a card, or run postern login; postern dev prints one when it starts.": "请打开登录链接：按卡片上的 Open，或运行 postern login；postern dev 启动时也会给出一个。",
	"This link signs this browser in, once.": "此链接可让这个浏览器登录一次。",
	"Not here":                               "这里没有内容",
	"There is nothing at this address, or it is not for you to see.":                       "此地址没有内容，或者您无权查看。",
	"This session was deleted":                                                             "此会话已删除",
	"What it asked for was cancelled, and nothing of it runs any more. Its audit is kept.": "它的请求已取消，也不再运行。审计记录仍然保留。",
	"This form is stale": "表单已失效",
	"Nothing was changed. Go back, reload the page and try again.": "未作任何更改。请返回、重新加载页面后再试。",
	"This form came from another site":                             "此表单来自其他网站",
	"Nothing was changed. Open the panel itself and answer there.": "未作任何更改。请打开面板本身并在其中答复。",
	"Sign in first":      "请先登录",
	"This link is spent": "此链接已失效",
	"Sign-in links work once and for a short time. For a new one press Open on the card, or run postern login.": "登录链接只能使用一次，且很快过期。要获取新链接，请按卡片上的 Open，或运行 postern login。",
	"Your role reads the audit only": "您的角色只能查看审计",
	"An auditor sees neither the Inbox nor sessions. Ask an owner for another role.": "审计员看不到收件箱和会话。如有需要，请向所有者申请其他角色。",
	"That did not work": "操作未成功",
	"Nothing was changed, or it is not known whether it was. Try again in a moment.": "未作更改，或不确定是否已更改。请稍后再试。",
	"Signed out":                           "已退出登录",
	"This browser is no longer signed in.": "这个浏览器已退出登录。",

	// Names of kinds, states, risks, modes and roles.
	"approval": "审批", "question": "提问", "notification": "通知", "directory": "目录", "plan": "计划",
	"pending": "待处理", "approved": "已允许", "denied": "已拒绝", "answered": "已答复", "expired": "已到期",
	"cancelled": "已取消", "superseded": "已撤回", "deleted": "已删除",
	"read": "读取", "write_local": "本地写入", "exec": "执行命令", "external": "对外操作",
	"discuss": "讨论", "interactive": "逐项询问", "custom": "自定义", "auto": "自动",
	"owner": "所有者", "approver": "审批人", "auditor": "审计员", "viewer": "查看者", "guest": "访客",
	"working": "工作中", "idle": "空闲", "open": "进行中", "ended": "已结束",
	"accepted": "已接受", "delivered": "已送达", "not_admitted": "未准入", "ignored": "已忽略", "unavailable": "暂不可用",
	"explicit": "明确", "inferred": "推断",
	"ok": "成功", "failed": "失败", "unknown": "未知", "intended": "进行中",
	"due": "待发送", "sending": "发送中", "shown": "已显示", "dropped": "未显示",
}
