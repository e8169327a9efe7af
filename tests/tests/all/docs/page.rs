//! The parts of a Markdown page that are run.

/// A command, and its output on the page.
pub(crate) struct Command {
    pub(crate) line: String,
    pub(crate) output: String,
}

/// A fenced block.
pub(crate) enum Block {
    Console {
        text: String,
        commands: Vec<Command>,
    },
    File {
        name: String,
        content: String,
    },
}

/// The blocks of a page, in order.
pub(crate) struct Page {
    pub(crate) blocks: Vec<Block>,
}

impl Page {
    pub(crate) fn parse(text: &str) -> Self {
        let mut blocks = Vec::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(info) = line.strip_prefix("```") else {
                continue;
            };
            let body: String = lines
                .by_ref()
                .take_while(|line| *line != "```")
                .flat_map(|line| [line, "\n"])
                .collect();
            match info.split_once(' ') {
                None if info == "console" => blocks.push(Block::Console {
                    commands: commands(&body),
                    text: body,
                }),
                Some((_, name)) => blocks.push(Block::File {
                    name: name.to_owned(),
                    content: body,
                }),
                None => {}
            }
        }
        Self { blocks }
    }

    pub(crate) fn commands(&self) -> usize {
        self.blocks
            .iter()
            .map(|block| match block {
                Block::Console { commands, .. } => commands.len(),
                Block::File { .. } => 0,
            })
            .sum()
    }
}

fn commands(block: &str) -> Vec<Command> {
    let mut commands: Vec<Command> = Vec::new();
    let mut continued = false;
    for line in block.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            commands.push(Command {
                line: command.to_owned(),
                output: String::new(),
            });
        } else if let Some(last) = commands.last_mut() {
            let text = if continued {
                &mut last.line
            } else {
                &mut last.output
            };
            if continued {
                text.push('\n');
                text.push_str(line);
            } else {
                text.push_str(line);
                text.push('\n');
            }
        }
        continued = line.ends_with('\\') && (continued || line.starts_with("$ "));
    }
    commands
}
