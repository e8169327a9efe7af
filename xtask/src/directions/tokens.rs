//! Paths in text that only a macro interprets: the arguments of macros, and attributes.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{
    Attribute, Block, Expr, Lit, Meta, Token, Type, parse::Parser, punctuated::Punctuated,
    visit::Visit,
};

use super::{
    collect::{Collector, is_variable, plain, written},
    tree::{Kind, Written},
};

/// The keys of serde's attributes whose text is a path or a type.
const PATHS_IN_TEXT: [&str; 9] = [
    "default",
    "deserialize_with",
    "from",
    "into",
    "remote",
    "serialize_with",
    "skip_serializing_if",
    "try_from",
    "with",
];

impl Collector<'_> {
    /// Visits the arguments of a macro as expressions or statements if possible, else token by token.
    pub(super) fn arguments(&mut self, tokens: TokenStream) {
        let expressions = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(expressions) = expressions.parse2(tokens.clone()) {
            for expression in &expressions {
                match expression {
                    // This is a named argument, as in `format!`.
                    Expr::Assign(named) => self.visit_expr(&named.right),
                    expression => self.visit_expr(expression),
                }
            }
        } else if let Ok(statements) = Block::parse_within.parse2(tokens.clone()) {
            for statement in &statements {
                self.visit_stmt(statement);
            }
        } else {
            self.scan(tokens);
        }
    }

    /// Records what looks like a path: names joined by `::`, and single names that start with a capital
    /// letter or are called.
    pub(super) fn scan(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let is = |at: usize, wanted: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == wanted);
        let mut at = 0;
        while at < tokens.len() {
            let start = at;
            at += 1;
            let first = match &tokens[start] {
                TokenTree::Group(group) => {
                    self.scan(group.stream());
                    continue;
                }
                TokenTree::Ident(first) => first,
                _ => continue,
            };
            let mut segments = vec![plain(first)];
            while let (true, true, Some(TokenTree::Ident(next))) =
                (is(at, ':'), is(at + 1, ':'), tokens.get(at + 2))
            {
                segments.push(plain(next));
                at += 3;
            }
            let after = |mark| start > 0 && is(start - 1, mark);
            let metavariable = after('$') && first != "crate";
            let global = after(':') && start > 1 && is(start - 2, ':');
            if metavariable || global || after('.') || after('\'') {
                continue;
            }
            let call = matches!(tokens.get(at), Some(TokenTree::Group(group))
                if group.delimiter() == Delimiter::Parenthesis);
            if segments.len() > 1 || call || !is_variable(&segments[0]) || is(at, '!') {
                let line = first.span().start().line;
                let global = false;
                self.note(Written { global, segments }, line, Kind::Plain);
            }
        }
    }

    /// Records the paths in an attribute, such as `#[arg(value_parser = crate::parse)]` or
    /// `#[serde(with = "crate::hex")]`.
    pub(super) fn attribute(&mut self, attribute: &Attribute) {
        let Meta::List(list) = &attribute.meta else {
            return;
        };
        if list.path.is_ident("cfg") || list.path.is_ident("expect") || list.path.is_ident("allow")
        {
            return;
        }
        self.scan(list.tokens.clone());
        if !list.path.is_ident("serde") && !list.path.is_ident("schemars") {
            return;
        }
        let metas = Punctuated::<Meta, Token![,]>::parse_terminated;
        for meta in list.parse_args_with(metas).into_iter().flatten() {
            let Meta::NameValue(pair) = meta else {
                continue;
            };
            let (Some(key), Expr::Lit(literal)) = (pair.path.get_ident(), &pair.value) else {
                continue;
            };
            let Lit::Str(text) = &literal.lit else {
                continue;
            };
            if !PATHS_IN_TEXT.iter().any(|known| key == known) {
                continue;
            }
            let Ok(Type::Path(named)) = text.parse::<Type>() else {
                continue;
            };
            let mut path = written(&named.path);
            if key == "with" {
                // The text names a module. Serde calls its functions.
                path.segments.push("serialize".to_owned());
            }
            self.note(path, text.span().start().line, Kind::Plain);
        }
    }
}
