"""Each role may do all that the lower ones may."""

from itertools import product

import pytest

from tributary.domain.errors import ForbiddenError
from tributary.domain.roles import Actor, Role


@pytest.mark.parametrize(("role", "needed"), list(product(Role, Role)))
def test_a_role_is_enough_for_itself_and_for_those_below(role: Role, needed: Role) -> None:
    order = [Role.READER, Role.WRITER, Role.CURATOR]
    actor = Actor("acme", "ada", role)
    if order.index(role) >= order.index(needed):
        actor.require(needed)
        return
    with pytest.raises(ForbiddenError) as caught:
        actor.require(needed)
    assert (caught.value.role, caught.value.needed) == (role.label, needed.label)


def test_roles_have_names_on_the_wire() -> None:
    assert [role.label for role in Role] == ["reader", "writer", "curator"]
